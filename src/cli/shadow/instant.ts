import { parseDuration } from '../../config/duration.ts'

/** The instant that `--since` and the like name, as `instantOption` leaves it: an ISO instant, or how long before `now`. */
export function instantAt(text: string, now: number): number {
  const ago = parseDuration(text)
  return ago === null ? Date.parse(text) : now - ago
}
