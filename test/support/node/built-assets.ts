import { buildAssets } from '../../../scripts/lib/assets.ts'

/** Builds the static files of the Worker, unless `npm test` has built them. */
export async function provideAssets(): Promise<void> {
	if (!process.env.TEST_RUN_DIRECTORY) await buildAssets()
}
