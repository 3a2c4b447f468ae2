/** Why nothing can be started, as a sentence for the person who waits; `output` is what the failed command printed. */
export class SetupError extends Error {
  constructor(sentence, output = "") {
    super(sentence);
    this.name = "SetupError";
    this.output = output;
  }
}
