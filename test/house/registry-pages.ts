import type { Command } from 'commander'
import { JOB_NAMES, JOBS } from '../../src/config/jobs.ts'
import { ALARM_RULES } from '../../src/domain/alarms/rules.ts'
import { lasting } from '../../src/domain/values/instant.ts'
import type { Flow } from '../../src/flows/flow.ts'
import { TAKES } from '../../src/ports/perform.ts'

export function jobsPart(): string {
  return table(
    ['job', 'when, if config says nothing', 'its key says'],
    JOB_NAMES.map((name) => [code(name), code(JOBS[name].schedule), JOBS[name].about]),
  )
}

export function alarmsPart(): string {
  return table(
    ['rule', 'severity', 'after', 'says'],
    ALARM_RULES.map(({ name, severity, after, says }) => [
      code(name),
      severity,
      after === 0 ? 'at once' : lasting(after),
      says,
    ]),
  )
}

export function flowsPart(flows: readonly Flow[]): string {
  return table(
    ['flow', 'port', 'urgency', 'may happen again', 'kinds'],
    flows.map((flow) => [
      code(flow.name),
      code(flow.method === undefined ? flow.port : `${flow.port}.${flow.method}`),
      flow.urgency,
      flow.once ? 'no' : 'yes',
      flow.kinds === 'all' ? 'all' : flow.kinds.join(', '),
    ]),
  )
}

export function portsPart(): string {
  return table(
    ['port', 'methods that take one', 'methods that take several'],
    Object.entries(TAKES).map(([port, methods]) => {
      const taking = (how: string) => Object.entries<string>(methods).filter(([, takes]) => takes === how)
      const names = (how: string) => taking(how).map(([name]) => code(name))
      return [code(port), names('one').join(', '), names('several').join(', ')]
    }),
  )
}

export function commandsPart(program: Command): string {
  return table(
    ['command', 'does'],
    leavesOf(program).map(({ words, command }) => [code(words.join(' ')), command.description()]),
  )
}

interface Leaf {
  words: string[]
  command: Command
}

/** The commands that do something, each with the words that call it. */
export function leavesOf(command: Command, words: readonly string[] = []): Leaf[] {
  if (command.commands.length === 0) return [{ words: [...words], command }]
  return command.commands.flatMap((inner) => leavesOf(inner, [...words, inner.name()]))
}

function table(head: readonly string[], rows: readonly string[][]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

function code(text: string): string {
  return text === '' ? '' : `\`${text}\``
}
