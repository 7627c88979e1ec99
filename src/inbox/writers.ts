import type { Channels } from '../domain/catalogue/channel.ts'
import type { Misfit } from '../domain/queue/misfit.ts'

/**
 * A stock has one writer: where a destination would be told the levels of a stock that it writes itself, each change of it would
 * come back to it, and be written again.
 */
export function writerMisfits(
  writers: Readonly<Record<string, string>>,
  destinations: readonly { name: string; channels: Channels }[],
): Misfit[] {
  return destinations.flatMap(({ name, channels }) =>
    Object.entries(channels).flatMap(([location, { stocks }]) =>
      stocks
        .filter((stock) => writers[stock] === name)
        .map((stock) => ({
          path: ['platform', 'stockWriters', stock],
          found: `a second writer of stock ${stock}: ${name} is told its levels as well (${location})`,
          expected: `one writer: take the stock out here, or out of destinations.${name}`,
        })),
    ),
  )
}
