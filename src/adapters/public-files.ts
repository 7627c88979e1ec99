/** `tillbridge/adapter/files`: folders of this machine and of SFTP servers, and files of master data in them. Versioned as `tillbridge/adapter` is. */

export { lettingIn, openFolder, probeFolder } from '../folders/open.ts'
export { SftpOptions } from '../folders/sftp.ts'
export {
  type FileEntry,
  type Files,
  FilesError,
  isFault,
  mapConcurrently,
  readAll,
  type Transport,
} from '../folders/transport.ts'
export {
  apartFault,
  createFileReader,
  createLines,
  decode,
  ENCODINGS,
  type Encoding,
  encode,
  type FileForm,
  type FilePosition,
  FORMATS,
  formatOf,
  type Line,
  type Raw,
  UnreadableFileError,
} from '../import/lines.ts'
export { type Hints, LINE, REASON, readTemplate, SHAPES } from '../import/rows.ts'
