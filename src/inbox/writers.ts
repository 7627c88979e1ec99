import type { Channels } from '../domain/channel.ts'
import { UserError } from '../domain/errors.ts'

/**
 * A stock has one writer. Throws a UserError where a destination would be told the levels of a stock that it writes itself:
 * each change of it would come back to it, and be written again.
 */
export function checkWriters(
  writers: Readonly<Record<string, string>>,
  destinations: readonly { name: string; channels: Channels }[],
): void {
  for (const { name, channels } of destinations)
    for (const [location, { stocks }] of Object.entries(channels))
      for (const stock of stocks)
        if (writers[stock] === name)
          throw new UserError(
            `Stock ${stock} has two writers: platform.stockWriters.${stock} says that ${name} writes it, and ` +
              `destinations.${name} is told its levels (${location}). Take it out of one of the two.`,
          )
}
