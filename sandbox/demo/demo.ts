import { Command, Option } from 'commander'
import { DIALECTS } from '../platform/dialects/dialect.ts'
import type { Asked } from './run.ts'

/** `tillbridge demo`. */
export const demo = new Command('demo')
  .description("Play a store's day: a hub beside a platform with a POS, an online shop, a mailbox and a phone")
  .option('--exit', 'end after the day; exit code 0 only if all is right', false)
  .option('--kill', 'kill the hub with -9 in the middle of the rush, and again among the online orders', false)
  .option('--troubles', 'leave one of each trouble at the end, to look at in the console', false)
  .option('--break', 'hide one effect and add one, so that the count finds them; exit code 1', false)
  .addOption(
    new Option('--dialect <dialect>', 'how the platform speaks (docs/sandbox.md)').choices(DIALECTS).default('facts'),
  )
  .action(async (asked: Asked) => {
    // All of the sandbox comes with it: whoever asks for help does not wait for that.
    const { run } = await import('./run.ts')
    await run(asked)
  })
