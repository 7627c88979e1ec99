/** A file that cannot be read as what it should be: nothing of it is taken. Its message is a sentence for people. */
export class UnreadableFileError extends Error {
  override name = 'UnreadableFileError'
}

/** The longest row, line or element, and the longest of rows that belong together (bytes). */
export const LONGEST = 4_000_000
