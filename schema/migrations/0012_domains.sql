DROP INDEX `communities_domain`;--> statement-breakpoint
ALTER TABLE `communities` ADD `domain_proof` text;--> statement-breakpoint
ALTER TABLE `communities` ADD `domain_claimed_at` integer;--> statement-breakpoint
ALTER TABLE `communities` ADD `domain_verified_at` integer;--> statement-breakpoint
ALTER TABLE `communities` ADD `domain_checked_at` integer;--> statement-breakpoint
ALTER TABLE `communities` ADD `domain_missing_since` integer;--> statement-breakpoint
ALTER TABLE `communities` ADD `domain_problem` text;--> statement-breakpoint
ALTER TABLE `communities` ADD `domain_asked_at` integer;--> statement-breakpoint
ALTER TABLE `communities` ADD `domain_check_at` integer;--> statement-breakpoint
UPDATE `communities` SET `domain_proof` = lower(hex(randomblob(16))), `domain_claimed_at` = CAST(strftime('%s', 'now') AS integer) * 1000, `domain_check_at` = 0 WHERE `custom_domain` IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `communities_verified_domain` ON `communities` (`custom_domain`) WHERE domain_verified_at is not null;--> statement-breakpoint
CREATE INDEX `communities_domain_due` ON `communities` (`domain_check_at`) WHERE domain_check_at is not null;