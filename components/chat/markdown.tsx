"use client";
/** One block of markdown. In a chunk of its own: loaded after the plain text has been painted. */
import { memo } from "react";
import Markdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";

const PLUGINS = [remarkGfm];

const COMPONENTS: Components = {
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  ),
  // A picture named by a model would be fetched from anywhere without being asked.
  img: ({ alt }) => <span>{alt}</span>,
};

function MarkdownBlock({ text }: { readonly text: string }) {
  return (
    <Markdown remarkPlugins={PLUGINS} components={COMPONENTS}>
      {text}
    </Markdown>
  );
}

export default memo(MarkdownBlock);
