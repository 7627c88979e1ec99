/** PHP's words for what it complains of, as HTML (`html_errors`) or as plain text. */
const COMPLAINT = /^\s*(<br \/>\s*)?(<b>)?(PHP )?(Deprecated|Notice|Warning|Strict Standards|User [A-Z][a-z]+)(<\/b>)?:/

/** Where JSON may begin. */
const BEGINNING = /[{[]/g

/** More places than this are not tried. */
const MOST_PLACES = 100

/**
 * The JSON text of an answer. Warnings that a site of PHP shows with whatever it says (`display_errors`, `WP_DEBUG_DISPLAY`) stand
 * before it and are no part of it; what is no JSON stays as it is.
 */
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

/** Whether nothing but blanks stands between a place and the beginning of its line, or a tag. */
function isOnLineOfItsOwn(text: string, place: number): boolean {
  let before = place - 1
  while (before >= 0 && (text[before] === ' ' || text[before] === '\t')) before -= 1
  return before < 0 || text[before] === '\n' || text[before] === '\r' || text[before] === '>'
}

/** Whether warnings of PHP stand before the JSON of an answer. */
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

/**
 * The text of an answer. A byte order mark before it, which PHP sends with everything as soon as one file of a site was saved with
 * one, is no part of it.
 */
export function textOf(body: Buffer): string {
  return body.toString('utf8').replace(/^\uFEFF/, '')
}
