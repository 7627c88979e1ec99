const UNITS = [
  { ms: 86_400_000, name: 'd' },
  { ms: 3_600_000, name: 'h' },
  { ms: 60_000, name: 'min' },
  { ms: 1_000, name: 's' },
] as const

/** Milliseconds in the two largest units: `45 s`, `12 min`, `3 h 5 min`, `2 d 4 h`. */
export function lasting(ms: number): string {
  const first = UNITS.findIndex((unit) => ms >= unit.ms)
  if (first === -1) return '0 s'
  const [large, small] = UNITS.slice(first, first + 2)
  if (large === undefined) return '0 s'
  const rest = small === undefined ? 0 : Math.floor((ms % large.ms) / small.ms)
  // Minutes without seconds.
  const more = small === undefined || small.name === 's' || rest === 0 ? '' : ` ${rest} ${small.name}`
  return `${Math.floor(ms / large.ms)} ${large.name}${more}`
}
