"use client";
/** The two places one can be in; the present one is marked. */
import Link from "next/link";
import { usePathname } from "next/navigation";
import { classNames } from "../ui/class-names.ts";

const PLACES = [
  {
    href: "/",
    label: "Chats",
    isHere: (path: string) => path === "/" || path.startsWith("/threads"),
  },
  { href: "/runs", label: "Runs", isHere: (path: string) => path.startsWith("/runs") },
] as const;

export function NavLinks() {
  const path = usePathname();
  return (
    <nav aria-label="Main" className="flex gap-1">
      {PLACES.map(({ href, label, isHere }) => (
        <Link
          key={href}
          href={href}
          aria-current={isHere(path) ? "page" : undefined}
          className={classNames(
            "flex min-h-8 items-center rounded-md px-2.5 text-sm font-medium pointer-coarse:min-h-11",
            isHere(path)
              ? "bg-muted text-foreground"
              : "text-muted-foreground hover:bg-muted hover:text-foreground",
          )}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
