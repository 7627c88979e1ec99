import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'

/** OWASP's second choice: 64 MiB. A hash names its own cost, so that this may grow. */
const COST = { N: 2 ** 16, r: 8, p: 1 }
const BYTES = 32
const MAX_MEMORY = 256 * 1024 * 1024

/** `scrypt$N$r$p$salt$hash` */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const derived = await derive(password, salt, COST)
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), derived.toString('base64url')].join('$')
}

export async function isPassword(password: string, hashed: string): Promise<boolean> {
  const [, N, r, p, salt = '', hash = ''] = hashed.split('$')
  const cost = { N: Number(N), r: Number(r), p: Number(p) }
  const wanted = Buffer.from(hash, 'base64url')
  return timingSafeEqual(await derive(password, Buffer.from(salt, 'base64url'), cost), wanted)
}

/** For readers and typists: 80 bits, without letters that look alike. */
export function makePassword(): string {
  const letters = 'abcdefghjkmnpqrstuvwxyz23456789'
  const text = Array.from(randomBytes(64), (byte) => (byte < letters.length * 8 ? letters[byte % letters.length] : ''))
  return text
    .join('')
    .slice(0, 16)
    .replace(/(.{4})(?=.)/g, '$1-')
}

function derive(password: string, salt: Buffer, cost: ScryptOptions): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  scrypt(password.normalize('NFKC'), salt, BYTES, { ...cost, maxmem: MAX_MEMORY }, (error, derived) =>
    error ? reject(error) : resolve(derived),
  )
  return promise
}
