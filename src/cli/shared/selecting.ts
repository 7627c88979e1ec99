import type { Command } from 'commander'
import { choice, instantOption, numberOf } from './values.ts'

const EVENT_STATES = ['routed', 'unrouted', 'quarantined']
const DELIVERY_STATES = ['waiting', 'claimed', 'held', 'delivered', 'dead', 'skipped', 'superseded']

/** Adds what selects deliveries. */
export function selectDeliveries(command: Command): Command {
  return command
    .option('--destination <name>', 'owed to this destination')
    .addOption(choice('--state <state>', 'in this state', DELIVERY_STATES))
    .option('--kind <kind>', 'of events of this kind')
    .option('--flow <flow>', 'of this flow')
    .option('--entity <entity>', 'about this thing, such as order:A1')
    .option('--event <id>', 'of this event', numberOf)
    .option('--code <code>', 'failed or held with this code, such as unbalanced (deliveries show tells it)')
    .addOption(instantOption('--since <when>', 'of events taken since'))
    .addOption(instantOption('--until <when>', 'of events taken before'))
}

/** Adds what selects events. */
export function selectEvents(command: Command): Command {
  return command
    .option('--kind <kind>', 'of this kind')
    .addOption(choice('--state <state>', 'in this state', EVENT_STATES))
    .option('--conflict', 'that contradict an earlier one')
    .option('--reused-key', 'that came under the event id of another one')
    .option('--dismissed', 'that a person has dismissed')
    .option('--no-dismissed', 'that nobody has dismissed')
    .option('--entity <entity>', 'about this thing, such as order:A1')
    .addOption(instantOption('--since <when>', 'taken since'))
    .addOption(instantOption('--until <when>', 'taken before'))
}
