/**
 * Where a value is a list in the first and none in the second, which differ in nothing but how many there are: JSONata gives
 * a list of one as the one itself.
 */
export function unlikeLists(many: unknown, one: unknown, place = 'the whole'): string[] {
  if (Array.isArray(many)) return Array.isArray(one) ? unlikeLists(many[0], one[0], place) : [place]
  if (!isObject(many) || !isObject(one)) return []
  return Object.entries(many).flatMap(([key, value]) => unlikeLists(value, one[key], `"${key}"`))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object'
}
