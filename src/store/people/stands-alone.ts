/** Whether a text that stands at a place is no part of a longer number there: "Storgata 1" is not said by "Storgata 12". */
export function standsAlone(bytes: Uint8Array, at: number, text: Uint8Array): boolean {
  const end = at + text.length
  return !(isDigit(text[0]) && isDigit(bytes[at - 1])) && !(isDigit(text.at(-1)) && isDigit(bytes[end]))
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 48 && byte <= 57
}
