/** Sales may be void, and are then not listed: so many are no sign of a list that is short. */
const FEW = 2

/**
 * Why a list is not believed, where it lacks what events told of: these endpoints answer trouble with an empty list, or with half of
 * one. Null: it is. `void`: what is told may be taken back.
 */
export function whyShort(told: number, lacked: number, { listed, voids }: { listed: number; voids: boolean }) {
  const most = voids ? Math.max(FEW, told / 5) : 0
  if (lacked <= most && !(listed === 0 && lacked > 0)) return null
  return `the list lacks ${lacked} of ${told} that events told of`
}
