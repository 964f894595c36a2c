// Announces new mail with a link. The page does not change while it is read.
const status = document.getElementById('new-mail')
let version = status.dataset.version

async function watch() {
	for (;;) {
		try {
			const response = await fetch(`/_dev/mail/changes?after=${encodeURIComponent(version)}`)
			if (!response.ok) return
			const current = await response.text()
			if (current !== version) announce()
			version = current
		} catch {
			await new Promise((resolve) => setTimeout(resolve, 1000))
		}
	}
}

function announce() {
	const link = document.createElement('a')
	link.href = '/_dev/mail'
	link.textContent = 'New mail: show it'
	status.replaceChildren(link)
}

await watch()
