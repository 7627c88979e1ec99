/** Whether a file has a name like this, case aside; `*` stands for anything. */
export function matcherOf(pattern: string): (name: string) => boolean {
  const escaped = pattern.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const expression = new RegExp(`^${escaped.join('.*')}$`, 'iu')
  return (name) => expression.test(name)
}

/** Whether there is a name that both of them take. */
export function meet(one: string, other: string): boolean {
  if (one === '' || other === '') return /^\**$/.test(one + other)
  if (one[0] === '*') return meet(one.slice(1), other) || meet(one, other.slice(1))
  if (other[0] === '*') return meet(other, one)
  return one[0]?.toLowerCase() === other[0]?.toLowerCase() && meet(one.slice(1), other.slice(1))
}
