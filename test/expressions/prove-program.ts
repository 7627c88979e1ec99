import { json } from 'node:stream/consumers'
import { check } from 'recheck'
import type { Expression } from './find.ts'
import type { Verdict } from './prove.ts'

/** Reads expressions from its input, and writes what is known of each. */
const expressions = (await json(process.stdin)) as Pick<Expression, 'source' | 'flags'>[]

/** Limits for one of them (milliseconds; most take a few). The steps within have none: a busy machine must not change a verdict. */
const LIMITS = { timeout: 120_000, incubationTimeout: null, attackTimeout: null }

async function verdictOn({ source, flags }: Pick<Expression, 'source' | 'flags'>): Promise<Verdict> {
  const found = await check(source, flags, LIMITS)
  if (found.status !== 'vulnerable') return { status: found.status, complexity: null, attack: null }
  return { status: found.status, complexity: found.complexity.summary, attack: found.attack.pattern }
}

const verdicts: Verdict[] = []
for (const expression of expressions) verdicts.push(await verdictOn(expression))
process.stdout.write(JSON.stringify(verdicts), () => process.exit(0))
