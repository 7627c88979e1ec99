import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../eventually.ts'

/** A limit that the kernel keeps: who goes beyond it is killed. */
export interface MemoryLimit extends AsyncDisposable {
  /** The command that puts itself, and what it starts, under it. */
  command: readonly string[]
  /** How many processes were killed. */
  kills(): number
}

/** How the two generations of control groups call it. */
const GENERATIONS = [
  {
    root: '/sys/fs/cgroup/memory',
    limits: ['memory.limit_in_bytes', 'memory.memsw.limit_in_bytes'],
    kills: 'memory.oom_control',
  },
  { root: '/sys/fs/cgroup', limits: ['memory.max'], kills: 'memory.events' },
]

/** Makes one of so many bytes; null where this user may not. */
export function limitMemory(bytes: number): MemoryLimit | null {
  for (const { root, limits, kills } of GENERATIONS) {
    const group = join(root, `tillbridge-attack-${process.pid}`)
    try {
      mkdirSync(group)
      writeFileSync(join(group, limits[0] ?? ''), String(bytes))
      // Without swap; where none is counted, there is no such file.
      for (const name of limits.slice(1))
        if (existsSync(join(group, name))) writeFileSync(join(group, name), String(bytes))
    } catch {
      if (existsSync(group)) rmdirSync(group)
      continue
    }
    return {
      command: ['sh', '-c', `echo $$ > ${join(group, 'cgroup.procs')} && exec "$@"`, 'sh'],
      kills: () => Number(/oom_kill (\d+)/.exec(readFileSync(join(group, kills), 'utf8'))?.[1]),
      // Only when all that was in it has ended.
      [Symbol.asyncDispose]: () => eventually(() => rmdirSync(group)),
    }
  }
  return null
}
