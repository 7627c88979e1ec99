import { Command } from 'commander'
import type { Probed } from '../../admin/examine/probing.ts'
import { adviceOn } from '../../domain/queue/outcome.ts'
import { bareWhy, counted } from '../../domain/values/text.ts'
import { EXIT_CODES, stateWord } from '../look/health-text.ts'
import { exitCodeOf } from '../shared/exit-codes.ts'
import { oneLine, ownLines } from '../shared/harmless-text.ts'
import { asks } from '../shared/question.ts'
import { ago, inSoLong } from '../shared/times.ts'

export const probe = asks<Probed>(
  new Command('probe')
    .description('Try a destination now: what waits for it while it is in trouble, and what its adapter can see')
    .argument('<destination>')
    .addHelpText('after', EXIT_CODES),
  {
    ask: 'POST /admin/destinations/:name/probe',
    text,
    exit: ({ now, held, found }) =>
      exitCodeOf([...(now === null && !held ? [] : [{ state: 'problem' } as const]), ...(found ?? [])]),
  },
)

function text(probed: Probed): string {
  const { destination, found } = probed
  const lines = (found ?? []).map(({ what, state, says, todo }) => {
    const words = todo === undefined ? says : `${says} To do: ${todo}`
    return `${stateWord(state)}  ${ownLines(`${destination}, ${what}: ${words}`)}`
  })
  const nothing = `Its adapter has nothing to ask ${destination} by.`
  return [tried(probed), ...(lines.length > 0 ? lines : [found === null ? nothing : 'Nothing was found.'])].join('\n')
}

function tried({ destination, before, now, paused, held }: Probed): string {
  if (held)
    return oneLine(
      `${destination} was not tried: nothing is sent to anybody, since ${held}. To do: tillbridge status says what helps.`,
    )
  if (before === null && now === null)
    return paused
      ? oneLine(`${destination} is not in trouble, but ${stays(destination, paused)}`)
      : `${destination} is not in trouble: what waits for it is sent as it is due.`
  if (before !== null && now === null)
    return paused
      ? oneLine(`${destination} is back, but ${stays(destination, paused)}`)
      : `${destination} is back. What waits for it goes out.`
  if (now === null) return ''
  const { code, why, since, until, failures } = now
  const trouble = `for ${ago(since)} and ${counted(failures, 'failure')}: ${adviceOn(code).means} (${code}: ${bareWhy(destination, why)})`
  return oneLine(
    paused
      ? `${destination} was not tried. It is in trouble, ${trouble}, and ${stays(destination, paused)}`
      : `${destination} is still in trouble, ${trouble}. Next try ${inSoLong(until)}.`,
  )
}

function stays(destination: string, paused: string): string {
  return `${paused}: nothing is sent. To do: tillbridge resume ${destination} lets it go on.`
}
