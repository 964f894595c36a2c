import type { Deps } from '../../platform/deps.ts'
import { rungIdOf } from '../plan/ladder.ts'
import { jobStore } from './job-store.ts'

/** Returns the MP4 key of a rendition by label (`720p` or `h264-720p`), or null while there is none. */
export const findRenditionFile = ({ db }: Deps, assetId: string, label: string): Promise<string | null> =>
	jobStore(db).findDownload(assetId, [label, rungIdOf('h264', label)])
