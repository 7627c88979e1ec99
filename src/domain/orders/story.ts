import { englishOf, type Message, type Values } from '../values/message.ts'
import texts from './texts.json' with { type: 'json' }

/** What timelines of orders say in words of their own. Other languages: `console/texts`. */
export const STORY_TEXTS = texts

type StoryText = keyof typeof texts
export type StoryMessage = Message<StoryText>

/** A piece of a line: as it is, a message, or one word of a list that a reader may have words for. */
export type Piece = string | StoryMessage | { list: 'state' | 'outcome' | 'did'; word: string }

type Part = Piece | readonly Piece[] | null

export function say(id: StoryText, values: Values<StoryText> = {}): StoryMessage {
  return { id, values }
}

/** Without the parts of which nothing is known. */
export function joined(separator: string, parts: readonly Part[]): Piece[] {
  const known = parts.map((part) => [part ?? []].flat()).filter((pieces) => pieces.some((piece) => piece !== ''))
  return known.flatMap((pieces, nth) => (nth === 0 ? pieces : [separator, ...pieces]))
}

export const inEnglish = englishOf(texts)

export function lineInEnglish(pieces: readonly Piece[]): string {
  return pieces.map((one) => (typeof one === 'string' ? one : 'word' in one ? one.word : inEnglish(one))).join('')
}
