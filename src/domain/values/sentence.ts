/** A text as a sentence, where others stand behind it. */
export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}
