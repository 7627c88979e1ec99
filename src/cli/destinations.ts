import { Command } from 'commander'
import type { Probed } from '../admin/doctor.ts'
import { adviceOn } from '../domain/queue/outcome.ts'
import { pluralize, stripPrefix } from '../domain/values/text.ts'
import { createClient, pathPart } from './shared/client.ts'
import { exitCodeOf } from './shared/exit.ts'
import { ago, inSoLong, oneLine, ownLines, show } from './shared/output.ts'
import { asks } from './shared/question.ts'
import { EXIT_CODES, stateWord } from './status.ts'

export const pause = telling('pause', 'paused', 'Send nothing to a destination until it is resumed')
export const resume = telling('resume', 'resumed', 'Go on with a paused destination')

export const probe = asks<Probed>('probe', 'POST /admin/destinations/:name/probe', {
  about: 'Try a destination that is down now, and ask its adapter what it sees',
  with: (command) => command.argument('<destination>').addHelpText('after', EXIT_CODES),
  text: (probed) => {
    const { destination, found } = probed
    const lines = (found ?? []).map(({ what, state, says, todo }) => {
      const remedy = todo === undefined ? '' : ` To do: ${todo}`
      return `${stateWord(state)}  ${ownLines(`${destination}, ${what}: ${says}${remedy}`)}`
    })
    const none = found === null ? `Its adapter has nothing to ask ${destination} by.` : 'Nothing was found.'
    return [oneLine(triedText(probed)), ...(lines.length > 0 ? lines : [none])]
  },
  exit: ({ now, held, found }) =>
    exitCodeOf([...(now === null && !held ? [] : [{ state: 'problem' } as const]), ...(found ?? [])]),
})

function telling(verb: 'pause' | 'resume', done: string, description: string): Command {
  return new Command(verb)
    .description(description)
    .argument('<destination>')
    .option('--reason <text>', 'why, for the record')
    .option('--json', 'print JSON')
    .action(async (destination, { reason, json }) => {
      const client = await createClient(process.env)
      await client.post(`/admin/destinations/${pathPart(destination)}/${verb}`, { reason })
      show(json, { destination, done }, () => oneLine(`${destination} is ${done}.`))
    })
}

function triedText({ destination, before, now, paused, held }: Probed): string {
  const stays = `${paused}: nothing is sent. To do: tillbridge resume ${destination} lets it go on.`
  if (held)
    return `${destination} was not tried: nothing is sent to anybody, since ${held}. To do: tillbridge status says what helps.`
  if (now === null) {
    const is = before === null ? 'not down' : 'back'
    if (paused) return `${destination} is ${is}, but ${stays}`
    const goes = before === null ? ': what waits for it is sent as it is due.' : '. What waits for it goes out.'
    return `${destination} is ${is}${goes}`
  }
  const { code, why, since, until, failures } = now
  const outage = `for ${ago(since)} and ${pluralize(failures, 'failure')}: ${adviceOn(code).means} (${code}: ${stripPrefix(destination, why)})`
  return paused
    ? `${destination} was not tried. It is down, ${outage}, and ${stays}`
    : `${destination} is still down, ${outage}. Next try ${inSoLong(until)}.`
}
