export default function Page() {
  return <main id="main">Durable Resume</main>;
}
