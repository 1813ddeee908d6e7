{{/* In the release's and every watched namespace. */}}
{{- define "site-validator.rules.api" -}}
- apiGroups: [sitevalidation.io]
  resources: [reports, schedules]
  verbs: [get, update, delete]
{{- end }}

{{/* Additionally, in the release's namespace. */}}
{{- define "site-validator.ownRules.api" -}}
- apiGroups: [sitevalidation.io]
  resources: [reports, schedules]
  verbs: [create]
{{- end }}

{{- define "site-validator.rules.controller" -}}
- apiGroups: [sitevalidation.io]
  resources: [reports, schedules]
  verbs: [get, list, watch, create, update, delete]
- apiGroups: [sitevalidation.io]
  resources: [reports/status, schedules/status]
  verbs: [update]
- apiGroups: [""]
  resources: [events]
  verbs: [create, patch]
- apiGroups: [""]
  resources: [namespaces]
  verbs: [get]
{{- with .Values.basicAuthSecrets.names }}
- apiGroups: [""]
  resources: [secrets]
  {{- if not (has "*" .) }}
  resourceNames: {{ toJson . }}
  {{- end }}
  verbs: [get]
{{- end }}
{{- if .Values.notifications.enabled }}
{{- with .Values.notifications.secrets }}
- apiGroups: [""]
  resources: [secrets]
  {{- if not (has "*" .) }}
  resourceNames: {{ toJson . }}
  {{- end }}
  verbs: [get]
{{- end }}
{{- end }}
{{- end }}

{{- define "site-validator.ownRules.controller" -}}
- apiGroups: [batch]
  resources: [jobs]
  verbs: [get, list, watch, create, update, delete]
- apiGroups: [""]
  resources: [pods, events]
  verbs: [list]
- apiGroups: [""]
  resources: [secrets]
  verbs: [create, delete]
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [create]
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  resourceNames: [{{ include "site-validator.fullname" . }}-controller]
  verbs: [get, update]
{{- end }}

{{- define "site-validator.rules.uninstall" -}}
- apiGroups: [sitevalidation.io]
  resources: [reports, schedules]
  verbs: [get, list, update]
{{- end }}

{{- define "site-validator.ownRules.uninstall" -}}
- apiGroups: [batch]
  resources: [jobs]
  verbs: [get, list, delete]
- apiGroups: [apps]
  resources: [deployments/scale]
  resourceNames: [{{ include "site-validator.fullname" . }}-controller]
  verbs: [get, update]
- apiGroups: [""]
  resources: [pods]
  verbs: [list]
{{- end }}
