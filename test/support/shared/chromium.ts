import type { Browser } from 'playwright-core'
import { findChromium } from '../../../scripts/lib/chromium.ts'

/** The path of Chromium; null if there is none. `npm test` reports a wrong CHROMIUM_PATH, which other tests don't need. */
export const chromiumPath: string | null = (await findChromium(process.env).catch(() => null)) ?? null

const featuresOff = [
	// The list of Playwright, which a second flag of this name replaces.
	...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades'],
	...['HttpsFirstBalancedModeAutoEnable', 'LensOverlay', 'MediaRouter', 'PaintHolding'],
	...['ThirdPartyStoragePartitioning', 'AvoidCorsURLLoaderRestartOnRedirect', 'OptimizationHints'],
	...['NetworkTimeServiceQuerying', 'AimEnabled', 'PreconnectToSearch'],
	// Two processes for each page that nobody sees, which take nearly half of the processor time of opening it.
	...['WebUIOmniboxPopup', 'WebUIOmniboxFullPopup', 'WebUIOmniboxAimPopup', 'SpareRendererForSitePerProcess'],
]

export async function openBrowser(...flags: string[]): Promise<Browser> {
	// Loaded here, because vitest.config.ts imports this file for the path alone.
	const { chromium } = await import('playwright-core')
	return chromium.launch({
		...(chromiumPath && { executablePath: chromiumPath }),
		headless: true,
		args: [
			'--no-sandbox',
			'--disable-gpu',
			'--no-first-run',
			// Chromium must only connect to servers of the test.
			'--disable-background-networking',
			'--disable-component-update',
			'--disable-sync',
			'--disable-quic',
			// Chromium drops a key that would scroll the page while it still scrolls.
			'--disable-smooth-scrolling',
			`--disable-features=${featuresOff.join(',')}`,
			...flags,
		],
	})
}
