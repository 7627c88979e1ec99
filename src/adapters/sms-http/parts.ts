/** The GSM 7-bit alphabet (3GPP TS 23.038, 6.2.1); without the escape, which is no character. */
const BASIC = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
)
/** The extension table of that alphabet: an escape and another one, two places. */
const EXTENSION = new Set('\f^{}\\[~]|€')

/** Places in one text, and in each of several, which give some to the header that joins them. */
const GSM = { alone: 160, joined: 153 }
const UCS2 = { alone: 70, joined: 67 }

/** How many text messages a text needs: GSM 7-bit where every character is in it, else UCS-2. */
export function countParts(text: string): number {
  const characters = [...text]
  const isGsm = characters.every((character) => BASIC.has(character) || EXTENSION.has(character))
  const widths = characters.map((character) => (isGsm ? (EXTENSION.has(character) ? 2 : 1) : character.length))
  const { alone, joined } = isGsm ? GSM : UCS2
  const total = widths.reduce((sum, width) => sum + width, 0)
  return total <= alone ? 1 : countJoined(widths, joined)
}

/** A character of two places is never cut in two. */
function countJoined(widths: readonly number[], room: number): number {
  let parts = 1
  let used = 0
  for (const width of widths) {
    if (used + width > room) {
      parts += 1
      used = 0
    }
    used += width
  }
  return parts
}

const PLAIN: readonly (readonly [RegExp, string])[] = [
  [/[\u2018-\u201B\u2032]/g, "'"],
  [/[\u201C-\u201F\u2033]/g, '"'],
  [/[\u2010-\u2015\u2212]/g, '-'],
  [/\u2026/g, '...'],
  [/[\p{Zs}\p{Zl}\p{Zp}]/gu, ' '],
]

/** Typographic quotes, dashes and spaces as plain ones: one of them would more than halve the room. */
export function toPlainSigns(text: string): string {
  return PLAIN.reduce((plain, [signs, one]) => plain.replace(signs, one), text)
}
