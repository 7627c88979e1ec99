/** `tillbridge/adapter/messages`: what customers are told, in their languages and a retailer's own words. Versioned as `tillbridge/adapter` is. */

export { goodsText, greetedName, readWording, WORDING_OPTIONS, webLink, wordTemplate } from './wording/file.ts'
export type { Wording } from './wording/languages.ts'
export {
  faultIn,
  fillTemplate,
  namesIn,
  parseTemplate,
  type Shape,
  type Template,
  templateFault,
} from './wording/template.ts'
