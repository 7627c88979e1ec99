/**
 * A message resent by an operator is a delivery of its own of the same event and flow; its step key names the repeated one, so
 * at-most-once rules do not block it.
 */

const AGAIN = '~again-'

/** `times`: earlier repeats. */
export function partAgain({ part, id }: { part: string; id: number }, times: number): string {
  return `${partOf(part)}${AGAIN}${id}${times === 0 ? '' : `.${times}`}`
}

/** The step key without repeat marks. */
export function partOf(part: string): string {
  const at = part.indexOf(AGAIN)
  return at < 0 ? part : part.slice(0, at)
}

export function isAgain(part: string): boolean {
  return partOf(part) !== part
}

export function repeats(part: string, id: number): boolean {
  const at = part.indexOf(AGAIN)
  return at >= 0 && part.slice(at + AGAIN.length).split('.')[0] === String(id)
}

export function effectAgain(effect: string, part: string): string {
  return `${effect}${part.slice(part.indexOf(AGAIN))}`
}

/** A record keeps its first name. */
export function keyOfFirst(key: string): string {
  return key.replace(/:?~again-\d+(?:(?:\.|%2E)\d+)?/, '')
}
