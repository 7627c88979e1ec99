import { textOf } from './text-of.ts'

/** PHP's words for what it complains of, as HTML (`html_errors`) or as plain text. */
const COMPLAINT = /^\s*(<br \/>\s*)?(<b>)?(PHP )?(Deprecated|Notice|Warning|Strict Standards|User [A-Z][a-z]+)(<\/b>)?:/

/** Where JSON may begin: on a line of its own, or after a tag. */
const BEGINNING = /[\n>]\s*(?=[{[])/g

/** More places than this are not tried. */
const MOST_PLACES = 100

/**
 * The JSON text of an answer. Warnings that a site of PHP shows with whatever it says (`display_errors`, `WP_DEBUG_DISPLAY`) stand
 * before it and are no part of it; what is no JSON stays as it is.
 */
export function jsonTextOf(body: Buffer): string {
  const text = textOf(body)
  if (!COMPLAINT.test(text)) return text
  const places = [...text.matchAll(BEGINNING)]
    .slice(0, MOST_PLACES)
    .map(({ index, 0: before }) => index + before.length)
  return places.map((place) => text.slice(place)).find(isJson) ?? text
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
