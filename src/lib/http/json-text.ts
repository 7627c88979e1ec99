/** PHP's warnings, as HTML or plain text. */
const COMPLAINT = /^\s*(<br \/>\s*)?(<b>)?(PHP )?(Deprecated|Notice|Warning|Strict Standards|User [A-Z][a-z]+)(<\/b>)?:/

const BEGINNING = /[{[]/g

const MOST_PLACES = 100

/** The JSON of an answer without PHP warnings in front (`display_errors`, `WP_DEBUG_DISPLAY`); anything else unchanged. */
export function jsonTextOf(body: Buffer): string {
  const text = textOf(body)
  if (!COMPLAINT.test(text)) return text
  let tried = 0
  for (const { index } of text.matchAll(BEGINNING)) {
    if (!isOnLineOfItsOwn(text, index)) continue
    const json = text.slice(index)
    if (isJson(json)) return json
    tried += 1
    if (tried === MOST_PLACES) break
  }
  return text
}

function isOnLineOfItsOwn(text: string, place: number): boolean {
  let before = place - 1
  while (before >= 0 && (text[before] === ' ' || text[before] === '\t')) before -= 1
  return before < 0 || text[before] === '\n' || text[before] === '\r' || text[before] === '>'
}

export function hasWarnings(body: Buffer): boolean {
  return COMPLAINT.test(textOf(body.subarray(0, 200)))
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Without the byte order mark that some PHP sites send. */
export function textOf(body: Buffer): string {
  return body.toString('utf8').replace(/^\uFEFF/, '')
}
