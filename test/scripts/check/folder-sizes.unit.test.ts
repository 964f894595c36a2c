import { expect, test } from 'vitest'
import { findCrowdedFolders } from '../../../scripts/check/folder-sizes.ts'

const files = (folder: string, count: number) => Array.from({ length: count }, (_, n) => `${folder}${n}.ts`)

test('the check of folder sizes reports a folder with more than 20 files', () => {
	expect(
		findCrowdedFolders([...files('edge/accounts/orgs/', 21), ...files('edge/accounts/identity/', 20)]),
	).toEqual(['edge/accounts/orgs has 21 files; at most 20 fit beside each other, so give some a folder'])
})

test('the check of folder sizes counts subfolders apart, and exempts the root and growing lists', () => {
	expect(findCrowdedFolders([...files('edge/', 20), ...files('edge/accounts/orgs/', 20)])).toEqual([])
	for (const folder of ['', 'docs/decisions/', 'schema/migrations/', 'schema/migrations/meta/'])
		expect(findCrowdedFolders(files(folder, 30))).toEqual([])
})
