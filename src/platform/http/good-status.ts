import { STATUS_CODES } from 'node:http'

/** Words that programs use for a success, besides the names of the statuses from 200 to 299. */
const OTHER_WORDS = ['success', 'successful', 'succeeded', 'delivered']

const GOOD = new Set([
  ...Object.entries(STATUS_CODES).flatMap(([code, name]) => (isGoodCode(Number(code)) ? plain(name ?? '') : [])),
  ...OTHER_WORDS,
])

/**
 * Whether a status of the event log says that the event was taken. The specification shows a status code, the public API a word,
 * `OK`, and no other: so every name and every number from 200 to 299 is good, however it is written (`No Content`, `NoContent`,
 * `202 Accepted`). Null: it says nothing, which is not good.
 */
export function isGoodStatus(status: number | string | null): boolean {
  if (status === null) return false
  if (typeof status === 'number') return isGoodCode(status)
  const [, code] = /^\s*(\d{3})\b/.exec(status) ?? []
  return code === undefined ? GOOD.has(plain(status)) : isGoodCode(Number(code))
}

function isGoodCode(code: number): boolean {
  return code >= 200 && code < 300
}

/** `Non-Authoritative Information` and `NonAuthoritativeInformation` are one word. */
function plain(words: string): string {
  return words.replace(/[^A-Za-z]/g, '').toLowerCase()
}
