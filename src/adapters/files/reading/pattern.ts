/** Whether a file has a name like this, case aside; `*` stands for anything. */
export function matcherOf(pattern: string): (name: string) => boolean {
  const escaped = pattern.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const expression = new RegExp(`^${escaped.join('.*')}$`, 'iu')
  return (name) => expression.test(name)
}

/** Whether there is a name that both of them take. */
export function meet(one: string, other: string): boolean {
  if (one === '' || other === '') return /^\**$/.test(one + other)
  const [[a = ''], [b = '']] = [one, other]
  if (a === '*') return meet(one.slice(1), other) || (b === '*' ? meet(one, other.slice(1)) : meet(one, other.slice(1)))
  if (b === '*') return meet(other, one)
  return a.toLowerCase() === b.toLowerCase() && meet(one.slice(1), other.slice(1))
}
