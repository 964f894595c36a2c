import {
	defaultPreferences,
	type Preferences,
	type PreferencesPatch,
} from '#schema/contract/accounts/preferences.ts'
import type { Deps } from '../../../platform/deps.ts'
import { preferencesStore } from './preferences-store.ts'

export const findPreferences = async ({ db }: Deps, userId: number): Promise<Preferences> => ({
	...defaultPreferences,
	...(await preferencesStore(db).find(userId)),
})

export const changePreferences = async (
	{ db, now }: Deps,
	userId: number,
	patch: PreferencesPatch,
): Promise<Preferences> => ({
	...defaultPreferences,
	...(await preferencesStore(db).update(userId, patch, now)),
})
