/**
 * A text without the characters of a kind that it ends with. Each is looked at once: `/-+$/` is looked for anew at every
 * hyphen of a text, and where somebody else wrote it, that is a hundred thousand times a hundred thousand steps.
 * `isLeftOut` matches one character (a UTF-16 unit), and is neither global nor sticky.
 */
export function withoutEnd(text: string, isLeftOut: RegExp): string {
  let end = text.length
  while (end > 0 && isLeftOut.test(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}
