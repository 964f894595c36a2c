// Reloads the page when its files or the Worker have changed. Only `npm run dev` adds this script.
const after = new URL(import.meta.url).searchParams.get('at')

for (;;) {
	try {
		const response = await fetch(`/_dev/changes?after=${encodeURIComponent(after)}`)
		// A restarting Worker answers 503 for a moment.
		if (response.ok && (await response.text()) !== after) location.reload()
	} catch {
		// During a restart nothing listens for a moment.
	}
	await new Promise((resolve) => setTimeout(resolve, 200))
}
