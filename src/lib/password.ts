import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'

/** One of OWASP's equals (32 MiB thrice). A hash names its own cost, so that this may grow. */
const COST = { N: 2 ** 15, r: 8, p: 3 }
const BYTES = 32
const MAX_MEMORY = 256 * 1024 * 1024

/** `scrypt$N$r$p$salt$hash` */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const derived = await derive(password, salt, COST)
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), derived.toString('base64url')].join('$')
}

/** `hashed` null, of nobody: false, after as long. */
export async function isPassword(password: string, hashed: string | null): Promise<boolean> {
  const [, N, r, p, salt = '', hash = ''] = (hashed ?? NOBODY).split('$')
  const cost = { N: Number(N), r: Number(r), p: Number(p) }
  const wanted = Buffer.from(hash, 'base64url')
  return timingSafeEqual(await derive(password, Buffer.from(salt, 'base64url'), cost), wanted)
}

const NOBODY = ['scrypt', COST.N, COST.r, COST.p, 'A'.repeat(22), 'A'.repeat(43)].join('$')

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
