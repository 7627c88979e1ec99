import { ownLines } from './output.ts'

export interface Step {
  /** `taking`: all is sent, the answer is pending. */
  doing: 'sending' | 'taking' | 'delivering' | 'copying' | 'verifying' | 'changing' | 'planning' | 'reading' | 'running'
  done: number
  /** Null: not known. */
  of: number | null
}

/** (ms) */
const REDRAW = 100
const LINE = 5_000

/** Redraws one line on a terminal; prints a line every few seconds elsewhere. */
export function createProgress(screen: Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'write'>) {
  let doing: Step['doing'] | null = null
  let since = 0
  let shownAt = 0
  let isDrawn = false

  function clear(): void {
    if (isDrawn) screen.write('\r\u001b[K')
    isDrawn = false
  }

  return {
    show(step: Step): void {
      const now = Date.now()
      if (step.doing !== doing) {
        since = now
        shownAt = screen.isTTY ? 0 : now
      }
      doing = step.doing
      if (now - shownAt < (screen.isTTY ? REDRAW : LINE)) return
      shownAt = now
      const text = stepText(step, now - since)
      isDrawn = screen.isTTY
      screen.write(isDrawn ? `\r${text.slice(0, (screen.columns || 80) - 1)}\u001b[K` : `${text}\n`)
    },
    say(line: string): void {
      clear()
      screen.write(`${ownLines(line)}\n`)
    },
    clear,
  }
}

export function stepText({ doing, done, of }: Step, elapsed: number): string {
  const time = `${Math.round(elapsed / 1_000)} s`
  if (doing === 'running') return `${doing}  ${time}`
  if (doing === 'taking') return `all ${grouped(done)} are sent, the hub is taking them  ${time}`
  const share = of ? ` of ${grouped(of)} (${Math.floor((done / of) * 100)} %)` : ' so far'
  return `${doing}  ${grouped(done)}${share}  ${time}`
}

export function grouped(count: number): string {
  return count.toLocaleString('en-US')
}
