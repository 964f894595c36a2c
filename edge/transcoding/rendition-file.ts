import type { Deps } from '../platform/deps.ts'
import { jobStore } from './job-store.ts'
import { rungIdOf } from './ladder.ts'

/** The MP4 of a rendition, by what it is called: `720p`, or with its codec, `h264-720p`. null while there is none. */
export const findRenditionFile = ({ db }: Deps, assetId: string, label: string): Promise<string | null> =>
	jobStore(db).findDownload(assetId, [label, rungIdOf('h264', label)])
