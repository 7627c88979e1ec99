/**
 * Removes trailing characters in linear time: `/-+$/` restarts at every hyphen, which is quadratic on foreign text. `isLeftOut` matches
 * one UTF-16 unit, not global nor sticky.
 */
export function withoutEnd(text: string, isLeftOut: RegExp): string {
  let end = text.length
  while (end > 0 && isLeftOut.test(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}
