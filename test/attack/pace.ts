/** Text as a hub reads it, of about a hundred kilobytes. */
const TEXT = JSON.stringify(Array.from({ length: 2_000 }, (_, n) => ({ id: n, name: `article ${n}`, price: n / 7 })))

/** Reading it takes so long on a machine of today that does nothing else (milliseconds). */
const USUAL = 0.5

const EVERY_MS = 20

/**
 * How many times longer than elsewhere the same work takes on this machine at this time: a slow processor, and one that other
 * machines are given in turns, of which no program here is told. Work is short, so that waiting for others of this machine,
 * which the kernel counts, is hardly in it.
 */
export function watchPace() {
  let tookMs = 0
  let times = 0
  const timer = setInterval(() => {
    const begun = performance.now()
    JSON.parse(TEXT)
    tookMs += performance.now() - begun
    times += 1
  }, EVERY_MS)
  return {
    pace: () => (times > 0 ? Math.max(1, tookMs / times / USUAL) : 1),
    [Symbol.dispose]: () => clearInterval(timer),
  }
}
