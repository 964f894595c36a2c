import type { Deps } from '../../platform/deps.ts'
import { accessStore } from './store.ts'

/** Member tokens whose time is over. */
export const forgetGrants = ({ db, now }: Pick<Deps, 'db' | 'now'>): Promise<void> =>
	accessStore(db).forgetGrants(now)
