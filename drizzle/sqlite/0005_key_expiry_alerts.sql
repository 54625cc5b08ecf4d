DROP INDEX `usage_alerts_once`;--> statement-breakpoint
ALTER TABLE `usage_alerts` ADD `key_id` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `usage_alerts` ADD `key_name` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `usage_alerts` ADD `key_expires_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `usage_alerts_once` ON `usage_alerts` (`user_id`,`month`,`threshold`,`key_id`,`key_expires_at`);