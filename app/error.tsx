"use client";
/** What is shown when a page could not be made: what is still true, and the one thing to do. */
import { Button } from "@/components/ui/button.tsx";

export default function ErrorPage({ reset }: { error: Error; reset: () => void }) {
  return (
    <main
      id="main"
      className="flex flex-1 flex-col items-center justify-center gap-3 p-8 text-center"
    >
      <h1 className="text-xl font-semibold">This page could not be shown</h1>
      <p className="max-w-prose text-muted-foreground">
        Runs go on by themselves, and what they did is on record.
      </p>
      <Button weight="primary" onClick={reset}>
        Try again
      </Button>
    </main>
  );
}
