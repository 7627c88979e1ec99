/** Bytes of a page of memory. */
const PAGE = 4_096

/** So many bytes are taken to see what a new page costs. */
const TRIED = 32 * 1024 * 1024

/** A page that is new costs no more than this on most machines (milliseconds). */
const USUAL = 0.001

let cost: number | null = null

/**
 * How much longer than elsewhere so many new pages of memory take on this machine (milliseconds): where virtual machines lie in one
 * another, a page may cost twenty times as much, which large bodies then wait for.
 */
export function delayOfPages(pages: number): number {
  cost ??= costOfPage()
  return pages * Math.max(0, cost - USUAL)
}

function costOfPage(): number {
  const memory = Buffer.allocUnsafeSlow(TRIED)
  const [first, again] = [timeToFill(memory), timeToFill(memory)]
  return (first - again) / (TRIED / PAGE)
}

function timeToFill(memory: Buffer): number {
  const began = performance.now()
  memory.fill(1)
  return performance.now() - began
}
