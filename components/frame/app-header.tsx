/** The bar on top of every page. */
import Link from "next/link";
import { NavLinks } from "./nav-links.tsx";
import { ThemeToggle } from "./theme-toggle.tsx";

export function AppHeader() {
  return (
    <header className="flex h-12 shrink-0 items-center gap-1 border-b border-border bg-card px-3 md:px-4">
      <Link
        href="/"
        className="mr-2 flex min-h-8 items-center gap-2 rounded-md font-semibold tracking-tight pointer-coarse:min-h-11"
      >
        <Mark />
        <span className="max-[24rem]:sr-only">Durable Resume</span>
      </Link>
      <NavLinks />
      <div className="ml-auto">
        <ThemeToggle />
      </div>
    </header>
  );
}

/** Two lines that go on past a tear. */
function Mark() {
  return (
    <svg aria-hidden viewBox="0 0 32 32" className="size-6 text-foreground">
      <rect width="32" height="32" rx="8" fill="currentColor" />
      <g fill="none" stroke="var(--card)" strokeLinecap="round" strokeLinejoin="round">
        <path d="M5 12h8m6 0h8M5 20h8m6 0h8" strokeWidth="3" />
        <path d="m15 6 2.5 4-2.5 4 2.5 4-2.5 4 2 4" strokeWidth="1.6" opacity="0.75" />
      </g>
    </svg>
  );
}
