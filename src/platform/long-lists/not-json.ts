/** A row of a list whose bytes are no JSON: it is aside, and the others go on. */
export class NotJson {
  /** The row as the platform wrote it: it may hold personal data. */
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}
