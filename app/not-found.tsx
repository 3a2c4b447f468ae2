import Link from "next/link";

export default function NotFound() {
  return (
    <main
      id="main"
      className="flex flex-1 flex-col items-center justify-center gap-3 p-8 text-center"
    >
      <h1 className="text-xl font-semibold">There is nothing here</h1>
      <p className="text-muted-foreground">
        The address names no conversation and no run of this server.
      </p>
      <Link href="/" className="underline">
        Back to the start
      </Link>
    </main>
  );
}
