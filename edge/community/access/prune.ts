import type { Deps } from '../../platform/deps.ts'
import { accessStore } from './store.ts'

export const pruneGrants = ({ db, now }: Pick<Deps, 'db' | 'now'>): Promise<void> =>
	accessStore(db).deleteExpiredGrants(now)
