{{- define "site-validator.egress.dns" -}}
- ports:
    - { port: 53, protocol: UDP }
    - { port: 53, protocol: TCP }
  {{- with .Values.networkPolicy.dnsPeers }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}

{{- define "site-validator.egress.database" -}}
{{- if include "site-validator.bundled" . -}}
- ports:
    - port: 5432
  to:
    - podSelector:
        matchLabels:
          {{- include "site-validator.selector" (dict "root" . "component" "postgresql") | nindent 10 }}
{{- else -}}
- ports:
    - port: {{ .Values.networkPolicy.databasePort }}
  {{- with .Values.networkPolicy.databasePeers }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
{{- end }}
