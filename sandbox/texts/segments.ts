/** How a telephone network carries a text: the alphabet, and the short messages that it is cut into. */
export interface Segments {
  alphabet: 'GSM 7-bit' | 'UCS-2'
  parts: string[]
}

/* 3GPP TS 23.038: the default alphabet as ranges of code points, and what stands behind an escape. */
const SEPTET = /^[\n\r !"#$%&'()*+,\-./0-9:;<=>?@A-Z_a-z¡£¤¥§¿ÄÅÆÇÉÑÖØÜßàäåæèéìñòöøùüΓΔΘΛΞΠΣΦΨΩ]$/u
const ESCAPED = /^[\f[\\\]^{|}~€]$/u

/** A user data header of six octets joins several messages (3GPP TS 23.040): 140 octets are 160 septets, or 70 pairs. */
const OCTETS = 140
const HEADER = 6

/** Cuts a text as the network does; no sign is cut in two. */
export function segmentsOf(text: string): Segments {
  const signs = Array.from(text)
  const isSeptets = signs.every((sign) => SEPTET.test(sign) || ESCAPED.test(sign))
  const bitsOf = (sign: string) => (isSeptets ? (ESCAPED.test(sign) ? 14 : 7) : sign.length * 16)
  const whole = signs.reduce((bits, sign) => bits + bitsOf(sign), 0)
  const room = whole <= OCTETS * 8 ? OCTETS * 8 : (OCTETS - HEADER) * 8
  const parts: string[] = []
  let left = 0
  for (const sign of signs) {
    const bits = bitsOf(sign)
    if (bits > left) {
      parts.push('')
      left = isSeptets ? Math.floor(room / 7) * 7 : room
    }
    left -= bits
    parts.push(`${parts.pop() ?? ''}${sign}`)
  }
  return { alphabet: isSeptets ? 'GSM 7-bit' : 'UCS-2', parts }
}
